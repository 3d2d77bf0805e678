// Elements, and drawing on a canvas that is as sharp as the screen.

/** Makes an element: `h("p.note", {title: "…"}, "text", child)`. */
export function h(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value != null && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((c) => c != null));
  return element;
}

/** Fits a canvas to its element; gives its context, in CSS pixels, and its size. */
export function fit(canvas) {
  const { width, height } = canvas.parentElement.getBoundingClientRect();
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

/** Colours of the style sheet. */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** A command with a button that copies it. */
export function command(shown) {
  const button = h("button.copy", {
    type: "button",
    title: "Copy",
    onclick: async () => {
      await copy(shown.command);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1200);
    },
  }, "Copy");
  return h(".command", null, h("span.what", null, shown.what), h("code", null, shown.command), button);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Files have no clipboard in some browsers.
    const area = h("textarea", { style: "position:fixed;opacity:0" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/** A note in place of a picture that there is nothing for. */
export function empty(title, text) {
  return h(".empty", null, h("strong", null, title), h("p", null, text));
}
