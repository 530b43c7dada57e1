import { CommanderError } from "commander";
import { expect, it } from "vitest";
import { explainUsage } from "../../../cli/src/errors/explain-usage.ts";
import { createProgram } from "../../../cli/src/program.ts";

/** What a command line is refused with. */
async function refusalOf(...argv: string[]): Promise<string> {
  const program = createProgram(async () => {});
  const thrown = await program.parseAsync(argv, { from: "user" }).then(
    () => new Error("it was accepted"),
    (error) => error,
  );
  if (!(thrown instanceof CommanderError)) throw thrown;
  return explainUsage(thrown, program, argv).message;
}

it.each([
  ["create", "schedule"],
  ["delete", "cancel"],
  ["move", "reschedule"],
  ["PATCH", "reschedule"],
  ["show", "get"],
  ["ls", "list"],
  ["retry", "replay"],
  ["me", "whoami"],
  ["lst", "list"],
  ["resheduel", "reschedule"],
])("for %s it suggests %s", async (given, meant) => {
  expect(await refusalOf(given)).toBe(`unknown command '${given}' (Did you mean ${meant}?)`);
});

it.each([
  ["--fire-in", "--in"],
  ["--fireAt", "--at"],
  ["--timezone", "--tz"],
  ["--body", "--payload"],
  ["--headers", "--header"],
  ["--idempotencyKey", "--key-for-once"],
  ["--profil", "--profile"],
])("for schedule %s it suggests %s", async (given, meant) => {
  expect(await refusalOf("schedule", "https://example.com/", given, "1")).toBe(
    `unknown option '${given}' (Did you mean ${meant}?)`,
  );
});

it.each(["constructor", "__proto__", "qwertz"])("for %s it suggests nothing", async (given) => {
  expect(await refusalOf(given)).toBe(`unknown command '${given}'`);
  expect(await refusalOf("list", `--${given}`)).toBe(`unknown option '--${given}'`);
});

it("knows no help for a verb that does not exist", async () => {
  expect(await refusalOf("help", "nosuch")).toBe("unknown command 'nosuch'");
});

it("says where an option stands", async () => {
  expect(await refusalOf("--profile", "work", "list")).toBe(
    "unknown option '--profile' (Options stand after the verb)",
  );
});

it("suggests no option that the verb does not have", async () => {
  expect(await refusalOf("list", "--fireAt", "1")).toBe("unknown option '--fireAt'");
});
