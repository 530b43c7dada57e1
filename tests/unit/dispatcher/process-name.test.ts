import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { hasEnded, placeOfProcesses, processName } from "#dispatcher/runtime/process-name.ts";

const place = placeOfProcesses();

describe.skipIf(place === null)("that a process has ended is proven", () => {
  const nameOf = (pid: number, start: string) => `${place} ${pid} ${start}`;
  const own = () => processName()?.split(" ").at(-1) as string;

  it("not while it runs", () => {
    expect(processName()).toBe(nameOf(process.pid, own()));
    expect(hasEnded(processName() as string)).toBe(false);
  });

  it("once its id is gone", async () => {
    const child = spawn(process.execPath, ["-e", ""]);
    const { pid } = child;
    await once(child, "exit");
    expect(hasEnded(nameOf(pid as number, "1"))).toBe(true);
  });

  it("when its id is another's by now, which started later", () => {
    expect(hasEnded(nameOf(process.pid, String(Number(own()) - 1)))).toBe(true);
  });

  it("not for one of another boot, machine or container, though no process here has its id", () => {
    const [boot, namespace] = (place as string).split(" ");
    for (const elsewhere of [`another-boot ${namespace}`, `${boot} pid:[1]`]) {
      expect(hasEnded(`${elsewhere} 999999999 1`)).toBe(false);
    }
  });
});
