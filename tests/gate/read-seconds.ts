import { UsageError } from "#scripts/command.ts";

/** Reads the option `--seconds`; undefined when it was not given. Throws UsageError. */
export function readSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text)) throw new UsageError(`'${text}' is no number of seconds.`);
  return Number(text);
}
