import { expect, it } from "vitest";
import { runScript } from "./script-process.ts";

it("a command whose output nobody reads any more, as behind head, goes on to its end without a word", async () => {
  const doctor = runScript("doctor", [], { DATABASE_URL: "postgres://stopwatch@127.0.0.1:1/stopwatch" });
  doctor.child.stdout?.destroy();
  expect(await doctor.exited).toBe(1);
  expect(doctor.stderr.join("\n")).toBe("");
});
