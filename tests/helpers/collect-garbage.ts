import v8 from "node:v8";
import vm from "node:vm";

/**
 * Collects all unreferenced objects. A WeakRef keeps its target until the end of the event loop turn in which it was
 * made.
 */
export async function collectGarbage(): Promise<void> {
  await new Promise(setImmediate);
  v8.setFlagsFromString("--expose-gc");
  vm.runInNewContext("gc")();
}
