// What became of the program until there were executables: the passes of hal-import, with what each changed.
import { command, h } from "./dom.js";
import { mlir } from "./details.js";
import { staged } from "./stages.js";
import { data, text } from "./state.js";

/** Whether the report has it: only the compiler knows. */
export const imported = document.querySelector('script[data-text="import"]') !== null;

export function importing(pane) {
  const list = h(".scroll.import");
  pane.append(
    h(".bar.muted", null, "The whole program, from the model to the point where executables are cut from it. A stage that changed it opens to what it changed."),
    list,
    command({ what: "All lines", command: `hal-compile MODEL -o ${data.programs[0]} --dump-executable-stages-to=stages && less stages/hal-import.stages.diff` }));
  text("import").then((source) => list.append(...staged(source, mlir)));
  return { draw() {} };
}
