// What is shown: the data, and what is selected. Panes listen.

export const data = JSON.parse(document.getElementById("data").textContent);

export const state = {
  /** The index of the selected executable. */
  selected: null,
  /** The node of the graph that was selected with it. */
  node: null,
};

const listeners = [];

export function listen(listener) {
  listeners.push(listener);
}

export function select(executable, node = null) {
  state.selected = executable;
  state.node = node;
  listeners.forEach((listener) => listener());
}

/** The dispatches of the host program: nodes of the graph, in order. */
export const dispatches = data.nodes.map((node, i) => i).filter((i) => data.nodes[i].k === "dispatch");

/** The scale of times: what the slowest executable takes, of the time of all. */
export const most = Math.max(...data.executables.map((e) => e.share ?? 0), 1e-12);

/** Unpacks a text, such as the assembly of a symbol; `null` if there is none. */
export async function text(name) {
  const element = document.querySelector(`script[data-text="${CSS.escape(name)}"]`);
  if (!element) return null;
  const packed = Uint8Array.from(atob(element.textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
