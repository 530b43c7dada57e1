import type { Command } from "commander";

/** The options for what is sent. */
export type PayloadOptions = { json?: string | true; payload?: string; header?: string[] };

export function addPayloadOptions(command: Command): void {
  const collect = (value: string, before: string[] = []) => [...before, value];
  command
    .option(
      "--json <body>",
      "The payload as JSON: itself, @file, or - for stdin; it is sent as given, with its Content-Type",
    )
    .option("--payload <body>", "The payload as text: itself, @file, or - for stdin")
    .option("--header <line>", 'A header, such as "X-Shop: 7"; may be given several times', collect);
}
