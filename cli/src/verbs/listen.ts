import type { ListenOptions } from "../listen/listen-options.ts";
import type { Verb } from "../verb.ts";

/** Hands test deliveries to a server on this machine, until it is ended. */
export const listen: Verb<ListenOptions> = {
  name: "listen",
  group: "Receivers",
  summary: "Hand test deliveries to a server on this machine",
  examples: [
    "stopwatch listen --to http://localhost:3000/hook",
    "stopwatch listen --to http://localhost:3000 --path /hooks/ --all",
    "stopwatch listen --exec 'node handle.js' --once",
  ],
  define(command) {
    const collect = (value: string, before: string[] = []) => [...before, value];
    command
      .option("--to <url>", "Address of the local server; a path there replaces that of the delivery")
      .option("--exec <command>", "Run a command instead: body on stdin, headers as STOPWATCH_HEADER_…; 0 means 200")
      .option("--path <prefix>", "Take only paths that begin so; up to 5 times", collect)
      .option("--all", "Take every test delivery of the account, not only those to https://listen.invalid")
      .option("--keep-host", "Send the Host of the target, not that of the local server")
      .option("--insecure", "Take any certificate of a server on this machine")
      .option("--once", "End after one delivery: with 0 when its answer was 2xx, else with 1")
      .addHelpText("after", "\nKeys on a terminal: r replays the last delivery, o prints its body, q ends.");
  },
  async run(context, options) {
    // Loaded here, since no other verb needs them.
    const { planOf } = await import("../listen/listen-options.ts");
    const { ListenSession } = await import("../listen/listen-session.ts");
    return new ListenSession(context, planOf(options)).run();
  },
};
