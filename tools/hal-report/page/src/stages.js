// What each stage changed, in an executable or before there are executables: a list of stages, with a diff for those that changed something.
import { h } from "./dom.js";
import { data, select, text } from "./state.js";

/** Takes a text of stages apart: `=== TITLE` begins one, `=== TITLE: no change` is one without effect. */
function sections(source) {
  const list = [];
  for (const line of source.split("\n")) {
    if (line.startsWith("=== ")) {
      const title = line.slice(4);
      const none = title.endsWith(": no change");
      list.push({ title: none ? title.slice(0, -11) : title, none, lines: [] });
    } else if (list.length && (line || list.at(-1).lines.length)) {
      list.at(-1).lines.push(line);
    }
  }
  return list;
}

/** The stages of an executable; none if the report does not have them. `paint` colours a line of MLIR. */
export async function stages(e, paint) {
  const parts = await Promise.all([["Until it is translated", `stages:${e.name}`], ["In the pipeline of its target", `lowered:${e.name}`]]
    .map(async ([title, name]) => [title, await text(name)]));
  return parts.filter(([, source]) => source).flatMap(([title, source]) => [h("h3", null, title), ...list(sections(source), paint)]);
}

/** The stages in a text. */
export function staged(source, paint) {
  return list(sections(source), paint);
}

function list(all, paint) {
  const shown = [];
  let idle = [];
  const flush = () => {
    if (idle.length) shown.push(h("p.muted.idle", null, `no change: ${idle.join(", ")}`));
    idle = [];
  };
  for (const section of all) {
    const same = section.title.match(/^the same as (.*)$/);
    if (section.none) {
      idle.push(section.title);
    } else if (same) {
      const other = data.executables.findIndex((e) => e.name === same[1]);
      shown.push(h("p", null, "The same but for names as ", h("button.link", { type: "button", onclick: () => select(other) }, same[1]), "."));
    } else {
      flush();
      shown.push(stage(section, paint));
    }
  }
  flush();
  return shown;
}

function stage({ title, lines }, paint) {
  while (lines.at(-1) === "") lines.pop();
  if (!lines.length) return h("p", null, title);
  const diff = lines[0]?.startsWith("@@ ");
  const count = (mark) => lines.filter((l) => l.startsWith(mark)).length;
  const cut = lines.at(-1)?.startsWith("… ");
  const badge = diff ? [h("span.added", null, `+${count("+")}`), h("span.removed", null, `−${count("-")}`), cut ? h("span.muted", null, "cut") : ""] : [];
  const element = h("details.stage-change", null, h("summary", null, title, ...badge));
  // Lines become elements when they are looked at: there may be thousands.
  element.addEventListener("toggle", () => {
    if (!element.open || element.children.length > 1) return;
    element.append(h("pre.code", null, lines.map((line) => (diff ? change(line, paint) : paint(line)))));
    if (cut) element.append(h("p.muted", null, "The report is kept small; the command below writes all lines."));
  });
  return element;
}

function change(line, paint) {
  if (line.startsWith("@@ ")) return h("span.hunk", null, `${line}\n`);
  if (line.startsWith("+")) return h("span.added", null, `${line}\n`);
  if (line.startsWith("-")) return h("span.removed", null, `${line}\n`);
  return paint(line);
}
