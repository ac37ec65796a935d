"""Events as wholes: triggers with types, and their arguments with roles."""
