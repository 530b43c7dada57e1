import { expect, it } from "vitest";
import { createProgram } from "../../../cli/src/program.ts";
import type { Verb } from "../../../cli/src/verb.ts";
import { VERBS } from "../../../cli/src/verbs.ts";

const verbs = VERBS as readonly Verb[];

/** The words of a command line, as a shell reads them. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? "",
  );
}

/** The command lines of `stopwatch` in an example, without what a shell does with them. */
function commandsOf(example: string): string[][] {
  const lines = example.replace(/^source <\((.*)\)$/, "$1").split(/ \| | > | >> | < /);
  return lines.filter((line) => line.startsWith("stopwatch ")).map((line) => wordsOf(line).slice(1));
}

it.each(verbs.flatMap(({ name, examples }) => examples.map((example) => [name, example])))(
  "the example of %s is a command line that it takes: %s",
  async (name, example) => {
    const ran: string[] = [];
    for (const words of commandsOf(example)) {
      await createProgram(async (verb) => void ran.push(verb.name)).parseAsync(words, { from: "user" });
    }
    expect(ran).toContain(name);
  },
);

it("no option takes an API key or a secret, which others could see in the list of processes", () => {
  const options = createProgram(async () => {}).commands.flatMap((command) => command.options);
  const named = options
    .filter(({ flags }) => /key|token|password|credential|secret/i.test(flags))
    .map(({ long }) => long);
  expect([...new Set(named)]).toEqual(["--key-for-once", "--idempotency-key", "--recurrence"]);
});

it.each([
  [["list", "--limit", "5", "--limit", "6"], "--limit"],
  [["get", "sch_1", "--profile", "a", "--profile=b"], "--profile"],
  [["list", "-o", "json", "--output", "table"], "--output"],
])("an option with a value is refused when it is given twice: %s", async (words, option) => {
  const refused = createProgram(async () => {}).parseAsync(words, { from: "user" });
  await expect(refused).rejects.toMatchObject({
    name: "UsageError",
    message: `${option} is given twice: give it once`,
  });
});

it("a header may be given several times", async () => {
  const words = ["schedule", "https://example.com/", "--header", "A: 1", "--header", "B: 2"];
  const given: unknown[] = [];
  await createProgram(async (_, options) => void given.push(options)).parseAsync(words, { from: "user" });
  expect(given).toMatchObject([{ header: ["A: 1", "B: 2"] }]);
});
