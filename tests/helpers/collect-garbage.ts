import v8 from "node:v8";
import vm from "node:vm";

/** Collects everything that nothing refers to. A WeakRef keeps what it names until the turn in which it was made is over. */
export async function collectGarbage(): Promise<void> {
  await new Promise(setImmediate);
  v8.setFlagsFromString("--expose-gc");
  vm.runInNewContext("gc")();
}
