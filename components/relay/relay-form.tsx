"use client";

import { type ReactNode, useState } from "react";
import type { RelaySettings } from "#domain/relay-settings.ts";
import { plannedRetries, type RetryStrategy } from "#domain/retry.ts";
import { Button } from "../ui/button.tsx";
import { Card, CardBody, CardFoot, CardHead } from "../ui/card.tsx";
import { Radio } from "../ui/choice.tsx";
import { useEarlyInput } from "../ui/use-early-input.ts";
import { RetryTable } from "./retry-table.tsx";
import { SliderField } from "./slider-field.tsx";
import { formatWait } from "./wait.ts";

/** The form's values as text; empty means the plan's default. The first wait is in seconds. */
export type RelayDraft = { cps: string; retries: string; wait: string; strategy: string; early: string };

type Range = { min: number; max: number };

type Limits = {
  cpsLimit: Range;
  retryAttempts: Range;
  retryBackoffMs: Range;
  retryStrategy: readonly RetryStrategy[];
};

/** The form of the relay settings, with the retries that result from the typed values. `problems` are by field. */
export function RelayForm({
  action,
  env,
  typed,
  limits,
  defaults,
  problems,
  children,
}: {
  action: string;
  env: string;
  typed: RelayDraft;
  limits: Limits;
  defaults: RelaySettings;
  problems: Readonly<Partial<Record<keyof RelayDraft, string>>>;
  /** Shown below the resulting retries. */
  children: ReactNode;
}) {
  const [draft, setDraft] = useState(typed);
  const form = useEarlyInput<HTMLFormElement>((textOf) =>
    setDraft({
      cps: textOf("cps"),
      retries: textOf("retries"),
      wait: textOf("wait"),
      strategy: textOf("strategy"),
      early: textOf("early"),
    }),
  );
  const edit = (name: keyof RelayDraft) => (value: string) => setDraft((before) => ({ ...before, [name]: value }));
  const changed = (Object.keys(NAMES) as (keyof RelayDraft)[]).filter((name) => draft[name] !== typed[name]);
  const retries = inRange(draft.retries, limits.retryAttempts, defaults.retryAttempts, 1);
  const baseMs = inRange(draft.wait, limits.retryBackoffMs, defaults.retryBackoffMs, 1_000);
  const strategy = limits.retryStrategy.find((name) => name === draft.strategy) ?? defaults.retryStrategy;

  return (
    <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <Card aria-labelledby="how">
        <form ref={form} method="post" action={action}>
          <input type="hidden" name="env" value={env} />
          <CardHead title="How requests are sent" id="how">
            <span className="text-ink-muted text-xs">read at each attempt</span>
          </CardHead>
          <CardBody className="grid grid-cols-1 gap-5">
            <SliderField
              id="cps"
              label="Outgoing requests per second"
              {...limits.cpsLimit}
              fallback={defaults.cpsLimit}
              text={draft.cps}
              onText={edit("cps")}
              hint="First bytes sent within any second, in each environment. Above it nothing is dropped: requests wait in due order."
              error={problems.cps}
            />
            <SliderField
              id="retries"
              label="Retries"
              {...limits.retryAttempts}
              fallback={defaults.retryAttempts}
              text={draft.retries}
              onText={edit("retries")}
              hint="After the first attempt. An interrupted attempt does not use one up."
              error={problems.retries}
            />
            <SliderField
              id="wait"
              label="First wait"
              unit="s"
              min={limits.retryBackoffMs.min / 1_000}
              max={limits.retryBackoffMs.max / 1_000}
              fallback={defaults.retryBackoffMs / 1_000}
              endWords={(seconds) => formatWait(seconds * 1_000)}
              text={draft.wait}
              onText={edit("wait")}
              hint="Between the first failure and the first retry."
              error={problems.wait}
            />
            <Choices
              legend="Waits grow"
              name="strategy"
              value={draft.strategy}
              onValue={edit("strategy")}
              choices={[
                ["", `plan’s default: ${defaults.retryStrategy}`],
                ...limits.retryStrategy.map((name) => [name, name, waits(name, baseMs, retries)] as const),
              ]}
            />
            <Choices
              legend="Early fire for new schedules"
              name="early"
              value={draft.early}
              onValue={edit("early")}
              choices={[
                ["", `plan’s default: ${defaults.earlyFire ? "on" : "off"}`],
                [
                  "on",
                  "on",
                  "They are sent slightly ahead, to arrive when they are due. Each schedule can say otherwise.",
                ],
                ["off", "off"],
              ]}
            />
          </CardBody>
          <CardFoot className="justify-end">
            <span role="status">
              {changed.length > 0 && `Not saved yet: ${changed.map((name) => NAMES[name]).join(", ")}.`}
            </span>
            {changed.length > 0 && <Button onClick={() => setDraft(typed)}>Undo</Button>}
            <Button type="submit" kind="primary">
              Save
            </Button>
          </CardFoot>
        </form>
      </Card>
      <div className="grid min-w-0 grid-cols-1 gap-5">
        <RetryTable strategy={strategy} baseMs={baseMs} retries={retries} />
        {children}
      </div>
    </div>
  );
}

const NAMES: Record<keyof RelayDraft, string> = {
  cps: "Outgoing requests per second",
  retries: "Retries",
  wait: "First wait",
  strategy: "Waits grow",
  early: "Early fire",
};

type Option = readonly [value: string, label: string, note?: string];

function Choices({
  legend,
  name,
  value,
  onValue,
  choices,
}: {
  legend: string;
  name: string;
  value: string;
  onValue: (value: string) => void;
  choices: readonly Option[];
}) {
  return (
    <fieldset className="grid gap-0.5">
      <legend className="pb-1 font-medium text-sm">{legend}</legend>
      {choices.map(([choice, label, note]) => (
        <Radio
          key={choice}
          name={name}
          value={choice}
          checked={choice === value}
          onChange={() => onValue(choice)}
          label={
            <>
              {label}
              {note && <span className="block text-ink-muted text-xs">{note}</span>}
            </>
          }
        />
      ))}
    </fieldset>
  );
}

const WAITS_SHOWN = 4;

/** The first waits of a strategy: `30 s, 1 m, 2 m, 4 m`. */
function waits(strategy: RetryStrategy, baseMs: number, retries: number): string {
  return plannedRetries({ strategy, baseMs }, Math.min(retries, WAITS_SHOWN))
    .map(({ waitMs }) => formatWait(waitMs))
    .join(", ");
}

function inRange(text: string, { min, max }: Range, fallback: number, unit: number): number {
  const value = text.trim() === "" ? fallback : Math.round(Number(text.replace(",", ".")) * unit);
  return Number.isFinite(value) ? Math.min(Math.max(value, min), max) : fallback;
}
