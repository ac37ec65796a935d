"""XML read as a stream: nothing outside the file is loaded, and entities of its own are refused."""

from __future__ import annotations

from collections.abc import Callable
from xml.parsers import expat

from assay.errors import InputError
from assay.formats.source import Source

_CUT_SHORT = frozenset({expat.errors.XML_ERROR_NO_ELEMENTS, expat.errors.XML_ERROR_UNCLOSED_TOKEN})


class XmlStream:
    """A file of XML that calls functions where its elements begin and end."""

    def __init__(
        self,
        source: Source,
        start: Callable[[str, dict[str, str]], None],
        end: Callable[[str], None],
        characters: Callable[[str], None] | None = None,
    ) -> None:
        self._source = source
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        # Says no to external DTDs even where Python is built with another default.
        self._parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self._parser.StartElementHandler = start
        self._parser.EndElementHandler = end
        if characters is not None:
            self._parser.CharacterDataHandler = characters
        self._parser.EntityDeclHandler = self._entity_declared
        self._parser.SkippedEntityHandler = self._entity_skipped

    def read(self, after_batch: Callable[[], None] = lambda: None) -> None:
        """Read all of it; after each batch what was collected may be handed over."""
        for batch in self._source.batches():
            # Text, not bytes: it is UTF-8 by now, whatever the declaration says.
            self._feed(batch.text, False)
            after_batch()
        self._feed("", True)

    def _feed(self, text: str, last: bool) -> None:
        try:
            self._parser.Parse(text, last)
        except expat.ExpatError as error:
            raise self._malformed(error) from None

    @property
    def line(self) -> int:
        """The line that is being read."""
        return self._parser.CurrentLineNumber

    def _malformed(self, error: expat.ExpatError) -> InputError:
        reason = expat.ErrorString(error.code)
        remedy = "In text, & is written &amp; and < is written &lt;"
        if reason in _CUT_SHORT:
            remedy = "Is the file cut short? Copy or make it again."
        elif reason == expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
            remedy = "Are these several documents in one file? Give each a file of its own in one folder."
        return InputError(f"{self._source.path}:{error.lineno}: not well-formed XML ({reason}). {remedy}")

    def _entity_declared(self, name: str, *_: object) -> None:
        # A few nested entities make gigabytes, and external ones read other files.
        raise InputError(
            f"{self._source.path}:{self.line}: declares the entity {name!r}, which is not allowed here. "
            "Write the text itself in its place."
        )

    def _entity_skipped(self, name: str, is_parameter: bool) -> None:
        mark = "%" if is_parameter else "&"
        raise InputError(
            f"{self._source.path}:{self.line}: the entity {mark}{name}; is declared nowhere in the file, and DTDs "
            "are not loaded. Write the character itself in its place."
        )
