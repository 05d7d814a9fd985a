// A field that completes names while typing: a combobox with a list, for the keyboard, the mouse and screen readers.

import { el } from "./common.js";

const pause = 150; // ms without typing before names are looked up
const most = 8; // names listed

// completing returns a labelled field whose names come from source(text), a promise of a list. pick gets a name that was
// chosen from the list; without pick the name is put into the field.
export function completing({ id, label, value = "", source, pick, maxLength = 200 }) {
  const field = el("input", { id, value, maxLength, autocomplete: "off", spellcheck: false, role: "combobox", "aria-autocomplete": "list", "aria-controls": `${id}-names`, "aria-expanded": "false" });
  const list = el("ul", { id: `${id}-names`, className: "names", role: "listbox", "aria-label": `Names for: ${label}`, hidden: true });
  const found = el("span", { className: "live", role: "status" });
  let active = -1, timer = 0, asked = 0;
  const options = () => [...list.children];

  function mark(index) {
    active = index;
    options().forEach((option, i) => option.setAttribute("aria-selected", String(i === index)));
    if (index >= 0) {
      field.setAttribute("aria-activedescendant", options()[index].id);
      options()[index].scrollIntoView({ block: "nearest" });
    } else field.removeAttribute("aria-activedescendant");
  }

  function close() {
    clearTimeout(timer);
    asked++; // what is under way comes too late
    list.hidden = true;
    list.replaceChildren();
    found.textContent = "";
    field.setAttribute("aria-expanded", "false");
    mark(-1);
  }

  function choose(name) {
    close();
    field.value = pick ? "" : name;
    field.focus();
    pick?.(name);
  }

  async function look() {
    const mine = ++asked;
    const names = await source(field.value.trim()).catch(() => []); // the name can be typed whole
    if (mine !== asked) return;
    if (names.length === 0 || (names.length === 1 && names[0] === field.value)) return close();
    list.replaceChildren(...names.slice(0, most).map((name, i) => el("li", { id: `${id}-name-${i}`, role: "option", "aria-selected": "false", onmousedown: (event) => event.preventDefault(), onclick: () => choose(name) }, name)));
    list.hidden = false;
    found.textContent = `${list.children.length} ${list.children.length === 1 ? "name" : "names"}; choose with the arrow keys`;
    field.setAttribute("aria-expanded", "true");
    mark(-1);
  }

  field.addEventListener("input", () => {
    close();
    if (field.value.trim()) timer = setTimeout(look, pause);
  });
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const n = list.children.length;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (n === 0) look();
      else mark(event.key === "ArrowDown" ? (active + 1) % n : (active <= 0 ? n : active) - 1);
    } else if (event.key === "Enter" && (active >= 0 || pick)) {
      event.preventDefault();
      choose(active >= 0 ? options()[active].textContent : field.value.trim());
    } else if (event.key === "Escape" && n > 0) {
      event.preventDefault();
      close();
    }
  });
  return { field, node: el("div", { className: "completing" }, el("label", { htmlFor: id }, label), field, list, found) };
}
