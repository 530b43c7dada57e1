import { ChevronDown, CircleAlert } from "lucide";
import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from "react";
import { Icon } from "./icon.tsx";

type About = {
  /** The form field's name. Set `id` too if an error summary links to it. */
  name: string;
  label: ReactNode;
  /** Help text. */
  hint?: ReactNode;
  /** The validation error, with what would be valid. */
  error?: ReactNode;
  /** The label is for screen readers only, where the context shows what the field is. */
  isLabelHidden?: boolean;
};

/** A text input with its label above and hint or error below. `beside` is another control for the value, at the right. */
export function TextField({
  label,
  hint,
  error,
  isLabelHidden,
  mono,
  beside,
  className = "",
  ...input
}: About & { mono?: boolean; beside?: ReactNode } & InputHTMLAttributes<HTMLInputElement>) {
  const { control, frame } = useField({ label, hint, error, isLabelHidden, ...input });
  const field = <input {...input} {...control} className={`${CONTROL} h-9 ${mono ? "font-mono" : ""} ${className}`} />;
  return (
    <Frame {...frame}>
      {beside === undefined ? (
        field
      ) : (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          {field}
          {beside}
        </div>
      )}
    </Frame>
  );
}

/** A text input without a visible label, for tables: give it an `aria-label`. */
export function BareField({
  mono,
  isInvalid,
  className = "",
  ...input
}: { mono?: boolean; isInvalid?: boolean } & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <input
      {...input}
      aria-invalid={isInvalid || undefined}
      className={`${CONTROL} h-9 ${mono ? "font-mono" : ""} ${className}`}
    />
  );
}

/** A multi-line text input in the monospace font. */
export function TextArea({
  label,
  hint,
  error,
  isLabelHidden,
  className = "",
  ...input
}: About & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const { control, frame } = useField({ label, hint, error, isLabelHidden, ...input });
  return (
    <Frame {...frame}>
      <textarea rows={5} {...input} {...control} className={`${CONTROL} resize-y font-mono text-sm ${className}`} />
    </Frame>
  );
}

/** A native select. `children` are the options. */
export function SelectField({
  label,
  hint,
  error,
  isLabelHidden,
  className = "",
  ...input
}: About & SelectHTMLAttributes<HTMLSelectElement>) {
  const { control, frame } = useField({ label, hint, error, isLabelHidden, ...input });
  return (
    <Frame {...frame}>
      <span className="relative flex">
        <select {...input} {...control} className={`${CONTROL} h-9 cursor-pointer appearance-none pr-7 ${className}`} />
        <Icon
          of={ChevronDown}
          small
          className="pointer-events-none absolute top-1/2 right-2 -translate-y-1/2 text-ink-muted"
        />
      </span>
    </Frame>
  );
}

const CONTROL =
  "w-full min-w-0 rounded-md border border-line-strong bg-surface px-2.5 py-[0.3125rem] text-ink placeholder:text-ink-muted " +
  "focus-visible:rounded-md focus-visible:border-accent focus-visible:outline-offset-0 " +
  "aria-invalid:border-bad aria-invalid:ring-1 aria-invalid:ring-bad disabled:border-line disabled:bg-sunken disabled:text-ink-muted";

function useField({ id, label, hint, error, isLabelHidden, required }: About & { id?: string; required?: boolean }) {
  const madeId = useId();
  const ownId = id ?? madeId;
  const describedBy = [hint && !error && `${ownId}-hint`, error && `${ownId}-error`].filter(Boolean).join(" ");
  return {
    control: {
      id: ownId,
      required,
      "aria-invalid": error ? (true as const) : undefined,
      "aria-describedby": describedBy || undefined,
    },
    frame: { id: ownId, label, hint, error, isLabelHidden },
  };
}

function Frame({
  id,
  label,
  hint,
  error,
  isLabelHidden,
  children,
}: Omit<About, "name"> & { id: string; children: ReactNode }) {
  return (
    <div className="grid min-w-0 grid-cols-1 content-start gap-1.5">
      <label
        htmlFor={id}
        className={isLabelHidden ? "sr-only" : "wrap-anywhere justify-self-start font-medium text-sm"}
      >
        {label}
      </label>
      {children}
      {error ? <FieldError id={`${id}-error`}>{error}</FieldError> : hint && <Hint id={`${id}-hint`}>{hint}</Hint>}
    </div>
  );
}

function Hint({ id, children }: { id: string; children: ReactNode }) {
  return (
    <p id={id} className="wrap-anywhere text-ink-muted text-xs leading-4.5">
      {children}
    </p>
  );
}

/** The error of a field, for its `aria-describedby`. */
export function FieldError({ id, children }: { id: string; children: ReactNode }) {
  return (
    <p id={id} className="flex gap-1.5 text-bad text-xs leading-4.5">
      <Icon of={CircleAlert} small className="mt-0.5" />
      <span className="wrap-anywhere min-w-0">{children}</span>
    </p>
  );
}
