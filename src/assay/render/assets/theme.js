// Light, dark, or as in the operating system; remembered if the browser allows it.
import { element } from "./dom.js";

const THEMES = { auto: ["◐", "as in the operating system"], light: ["☀", "light"], dark: ["☾", "dark"] };
const MEMORY = "assay-theme";

function recallTheme() {
  try {
    return localStorage.getItem(MEMORY) ?? "auto";
  } catch {
    return "auto";
  }
}

function rememberTheme(theme) {
  try {
    localStorage.setItem(MEMORY, theme);
  } catch {
    // A page from disk may not be allowed to; then it lasts as long as the page.
  }
}

/** The button that changes the theme. */
export function themeButton() {
  const button = element("button", { type: "button", id: "theme" });
  const show = (theme) => {
    document.documentElement.dataset.theme = theme;
    button.textContent = THEMES[theme][0];
    button.setAttribute("aria-label", `Colours: ${THEMES[theme][1]}`);
    button.title = `Colours: ${THEMES[theme][1]} (t)`;
  };
  button.addEventListener("click", () => {
    const names = Object.keys(THEMES);
    const next = names[(names.indexOf(document.documentElement.dataset.theme ?? "auto") + 1) % names.length];
    rememberTheme(next);
    show(next);
  });
  show(recallTheme() in THEMES ? recallTheme() : "auto");
  return button;
}
