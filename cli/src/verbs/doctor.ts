import type { DoctorOptions } from "../doctor/run-doctor.ts";
import type { Verb } from "../verb.ts";

/** Checks everything between this machine and a delivery. */
export const doctor: Verb<DoctorOptions> = {
  name: "doctor",
  group: "Tools",
  summary: "Check address, key, clock, quota, dispatchers and secrets, and name the cause of what is wrong",
  examples: ["stopwatch doctor", "stopwatch doctor --target https://example.com/hook", "stopwatch doctor --report"],
  define(command) {
    command
      .option("--target <url>", "Send a signed test delivery there, and say where its time went")
      .option(
        "--report [file]",
        "Write a file for a bug report, without key, payload, header or secret (stopwatch-doctor.txt)",
      )
      .option("--yes", "Do not ask before a live key sends the delivery");
  },
  async run(context, options) {
    const { runDoctor } = await import("../doctor/run-doctor.ts");
    return runDoctor(context, options);
  },
};
