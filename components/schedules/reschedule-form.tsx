"use client";

import { useState } from "react";
import { chooseTime, type TypedTime } from "#domain/chosen-time.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { Checkbox } from "../ui/choice.tsx";
import { HiddenFields } from "../ui/hidden-fields.tsx";
import { useEarlyInput } from "../ui/use-early-input.ts";
import { TimeFields } from "./time-fields.tsx";
import { TimePreview } from "./time-preview.tsx";
import { useClock } from "./use-clock.ts";

/** The form that moves a schedule. `reason` is why it cannot be moved; `error` is the error of the last submit. */
export function RescheduleForm({
  action,
  fields,
  initial,
  isEarly,
  madeAtMs,
  error,
  reason,
  backHref,
}: {
  action: string;
  fields: Readonly<Record<string, string>>;
  initial: TypedTime;
  isEarly: boolean;
  madeAtMs: number;
  error?: { field: string; message: string };
  reason?: string;
  backHref: string;
}) {
  const [typed, setTyped] = useState(initial);
  const [isChanged, setChanged] = useState(false);
  const nowMs = useClock(madeAtMs);
  const chosen = chooseTime(typed, nowMs);
  const change = (next: TypedTime) => {
    setTyped(next);
    setChanged(true);
  };
  const form = useEarlyInput<HTMLFormElement>((textOf) => {
    const early: TypedTime = {
      words: textOf("words"),
      at: textOf("at"),
      zone: textOf("zone"),
      occurrence: textOf("occurrence") === "second" ? "second" : "first",
    };
    if (JSON.stringify(early) !== JSON.stringify(initial)) change(early);
  });
  return (
    <form
      ref={form}
      method="post"
      action={action}
      className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1fr)_21.5rem]"
    >
      <HiddenFields values={fields} />
      <Card>
        <CardHead title="When" />
        <CardBody className="grid grid-cols-1 gap-4">
          <TimeFields
            typed={typed}
            chosen={chosen}
            nowMs={nowMs}
            errors={error && !isChanged ? { [error.field]: error.message } : {}}
            onChange={change}
          />
          <Checkbox
            name="early"
            value="1"
            defaultChecked={isEarly}
            label="Early fire"
            hint="Sent ahead by the estimated way to the target, so that it arrives when it is due."
          />
        </CardBody>
      </Card>
      <TimePreview chosen={chosen} nowMs={nowMs}>
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" kind="primary" reason={reason}>
            Move it
          </Button>
          <ButtonLink href={backHref}>Leave it as it is</ButtonLink>
        </div>
      </TimePreview>
    </form>
  );
}
