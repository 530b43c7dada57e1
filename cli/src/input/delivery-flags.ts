import type { Command } from "commander";
import { describeDurationProblem, parseDuration } from "../../../domain/duration.ts";
import type { DeliveryOptions } from "../../../sdk/src/types.ts";
import { UsageError } from "../errors/usage-error.ts";

export type DeliveryFlags = { timeout?: string; retryDelays?: string; giveUp?: string; expiresIn?: string };

/** Adds the flags that say how a schedule is delivered. */
export function addDeliveryFlags(command: Command): void {
  command
    .option("--timeout <duration>", "How long its target has for an answer: 1s to 30s")
    .option("--retry-delays <durations>", 'The wait before each retry: 10s,1m,1h; "none" for no retry')
    .option("--give-up <statuses>", 'Answers that end it at once: 410,400-404; "none" for no status')
    .option("--expires-in <duration>", "No attempt begins later than this after its time");
}

/** The delivery options that flags say; undefined without any. Throws UsageError. */
export function parseDeliveryFlags({ timeout, retryDelays, giveUp, expiresIn }: DeliveryFlags) {
  const options: Omit<DeliveryOptions, "expiresAt"> = {
    ...(timeout !== undefined && { timeoutMs: ms("--timeout", timeout) }),
    ...(retryDelays !== undefined && { retryDelaysMs: listOf(retryDelays).map((one) => ms("--retry-delays", one)) }),
    ...(giveUp !== undefined && { giveUpStatuses: listOf(giveUp).map(statusOf) }),
    ...(expiresIn !== undefined && { expiresIn }),
  };
  return Object.keys(options).length > 0 ? options : undefined;
}

const listOf = (text: string): string[] => (text === "none" ? [] : text.split(",").map((one) => one.trim()));

const statusOf = (text: string): number | string => (/^\d+$/.test(text) ? Number(text) : text);

function ms(flag: string, text: string): number {
  const read = parseDuration(text);
  if (read === null) throw new UsageError(`${flag}: ${describeDurationProblem(text)}`, EXAMPLE);
  return read;
}

const EXAMPLE = "stopwatch schedule https://example.com/hook --in 30m --timeout 5s --retry-delays 10s,1m";
