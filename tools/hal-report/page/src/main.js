// The page: a heading, tabs, and the details of what is selected.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { h } from "./dom.js";
import { bytes, time } from "./format.js";
import { data, dispatches, listen, state } from "./state.js";
import { graph } from "./graph.js";
import { timeline } from "./timeline.js";
import { memory } from "./memory.js";
import { table } from "./table.js";
import { details } from "./details.js";
import { imported, importing } from "./import.js";

const panes = [
  { name: "executables", title: "Executables", make: table },
  { name: "graph", title: "Graph", make: graph },
  { name: "timeline", title: "Timeline", make: timeline },
  { name: "memory", title: "Memory", make: memory },
  ...(imported ? [{ name: "import", title: "Import", make: importing }] : []),
];

const app = document.getElementById("app");
const tabs = h("nav.tabs", { role: "tablist" });
const stage = h("main.stage");
const side = h("aside.details");
const made = new Map();
let current = null;

function tile(label, value, note) {
  return h(".tile", null, h("span.label", null, label), h("span.value", null, value), note ? h("span.note", null, note) : null);
}

function heading() {
  const [first, second] = data.programs;
  const tiles = [];
  const [call, other] = data.calls;
  if (call) tiles.push(tile("One call", time(call.median), `${time(call.interval[0])} … ${time(call.interval[1])}`));
  if (other) {
    const { speedup, interval } = data.speedup;
    tiles.push(tile(second, time(other.median), `${time(other.interval[0])} … ${time(other.interval[1])}`));
    tiles.push(tile("Speed-up", `${speedup.toFixed(2)} ×`, `${interval[0].toFixed(2)} … ${interval[1].toFixed(2)}`));
  }
  tiles.push(tile("Dispatches", String(dispatches.length), `${data.executables.length} kernels`));
  tiles.push(tile("Weights", bytes(data.weights)), tile("Arena", bytes(data.arena)));
  const run = call ? `${data.device ?? data.machine ?? "CPU"}, ${data.threads} thread${data.threads === 1 ? "" : "s"}` : "not run";
  const signature = data.signature.length > 160 ? `${data.signature.slice(0, 159)}…` : data.signature;
  return h("header", null,
    h(".title", null, h("h1", null, first, second ? h("span.against", null, " against ", second) : null),
      h("p", { title: data.signature }, h("code", null, signature), h("span.run", null, run))),
    h(".tiles", null, ...tiles));
}

function show(name) {
  if (current) {
    current.element.hidden = true;
  }
  if (!made.has(name)) {
    const element = h("section.pane", { "data-pane": name, role: "tabpanel" });
    stage.append(element);
    made.set(name, { element, ...panes.find((p) => p.name === name).make(element) });
  }
  current = made.get(name);
  current.element.hidden = false;
  for (const tab of tabs.children) tab.setAttribute("aria-selected", tab.dataset.tab === name);
  current.draw();
}

export function redraw() {
  current?.draw();
}

for (const { name, title } of panes) {
  tabs.append(h("button", { type: "button", role: "tab", "data-tab": name, onclick: () => show(name) }, title));
}
app.replaceChildren(heading(), tabs, h(".columns", null, stage, side), h("footer", null, `Made by ${data.tool}`));
details(side, show);
listen(() => {
  side.classList.toggle("open", state.selected !== null);
  redraw();
});
window.addEventListener("resize", redraw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
show(location.hash.slice(1) in Object.fromEntries(panes.map((p) => [p.name, 1])) ? location.hash.slice(1) : "graph");
document.documentElement.dataset.ready = "true";
