import { type ReactNode, useId } from "react";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { positionOf, SLIDER_STEPS, valueAt } from "./slider-scale.ts";

/**
 * A number with a slider beside it, whose track ends at the plan's maximum. An empty field means the plan's default.
 * Without scripts there is only the field. `min`, `max` and `fallback`, the default, are in the unit of the field.
 */
export function SliderField({
  id,
  label,
  unit,
  min,
  max,
  fallback,
  endWords = String,
  text,
  onText,
  hint,
  error,
}: {
  id: string;
  label: string;
  /** The unit behind the number, such as `/s`. */
  unit?: string;
  min: number;
  max: number;
  fallback: number;
  /** The label of an end of the track. */
  endWords?: (value: number) => string;
  text: string;
  onText: (text: string) => void;
  hint: ReactNode;
  error: string | undefined;
}) {
  const scaleId = useId();
  const isDefault = text.trim() === "";
  const value = isDefault ? fallback : Number(text);
  const slider = (
    <div className="grid min-w-48 flex-1 grid-cols-[minmax(0,1fr)_auto] items-center gap-3 noscript:hidden">
      <div className="grid gap-0.5">
        <input
          type="range"
          aria-label={`${label}, slider`}
          aria-describedby={scaleId}
          aria-valuetext={`${Number.isFinite(value) ? value : fallback}${unit ? ` ${unit}` : ""}`}
          min={0}
          max={SLIDER_STEPS}
          value={positionOf(Number.isFinite(value) ? value : fallback, min, max)}
          onChange={(event) => onText(String(valueAt(Number(event.target.value), min, max)))}
          className="h-6 w-full cursor-pointer accent-accent"
        />
        <span id={scaleId} className="flex justify-between text-2xs text-ink-muted">
          <span>{endWords(min)}</span>
          <span>{endWords(max)}, the plan&rsquo;s maximum</span>
        </span>
      </div>
      <Button size="small" disabled={isDefault} onClick={() => onText("")} aria-label={`Use default: ${label}`}>
        {isDefault ? "Default" : "Use default"}
      </Button>
    </div>
  );
  return (
    <TextField
      id={id}
      name={id}
      label={
        <>
          {label}
          {unit && <span className="font-normal text-ink-muted"> ({unit})</span>}
        </>
      }
      hint={
        <>
          {hint} Empty: the plan&rsquo;s default, {fallback}.
        </>
      }
      error={error}
      inputMode="decimal"
      autoComplete="off"
      placeholder={String(fallback)}
      value={text}
      onChange={(event) => onText(event.target.value)}
      className="max-w-24"
      beside={slider}
    />
  );
}
