import { type InputHTMLAttributes, type ReactNode, useId } from "react";

type ChoiceProps = Omit<InputHTMLAttributes<HTMLInputElement>, "type"> & { label: ReactNode; hint?: ReactNode };

/** A checkbox. The label is part of the click target, which is at least 24 px high. */
export function Checkbox({ label, hint, ...input }: ChoiceProps) {
  return (
    <Choice label={label} hint={hint} id={input.id} indent="pl-6.5">
      {(ids) => <input {...input} {...ids} type="checkbox" className="mt-1 size-4 shrink-0 accent-accent" />}
    </Choice>
  );
}

/** A radio button: give all of a group the same `name`, in a `fieldset` with a `legend`. */
export function Radio({ label, hint, ...input }: ChoiceProps) {
  return (
    <Choice label={label} hint={hint} id={input.id} indent="pl-6.5">
      {(ids) => <input {...input} {...ids} type="radio" className="mt-1 size-4 shrink-0 accent-accent" />}
    </Choice>
  );
}

/** A switch, submitted with its form like a checkbox. */
export function Switch({ label, hint, ...input }: ChoiceProps) {
  return (
    <Choice label={label} hint={hint} id={input.id} indent="pl-10.5">
      {(ids) => (
        <input
          {...input}
          {...ids}
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a native checkbox has its state by itself
          role="switch"
          className={
            "relative my-0.5 h-5 w-8 shrink-0 cursor-pointer appearance-none rounded-full bg-line-strong transition-colors " +
            "checked:bg-accent focus-visible:rounded-full disabled:cursor-not-allowed disabled:opacity-60 after:absolute " +
            "after:top-0.5 after:left-0.5 after:size-4 after:rounded-full after:bg-surface after:transition-[translate] checked:after:translate-x-3 " +
            "forced-colors:border"
          }
        />
      )}
    </Choice>
  );
}

function Choice({
  id,
  label,
  hint,
  indent,
  children,
}: {
  id: string | undefined;
  label: ReactNode;
  hint: ReactNode;
  /** Where the label begins, for the hint below it. */
  indent: string;
  children: (ids: { id: string; "aria-describedby": string | undefined }) => ReactNode;
}) {
  const madeId = useId();
  const ownId = id ?? madeId;
  return (
    <div className="grid min-w-0 gap-0.5">
      <label htmlFor={ownId} className="flex min-h-6 cursor-pointer items-start gap-2.5 py-0.5 text-sm">
        {children({ id: ownId, "aria-describedby": hint ? `${ownId}-hint` : undefined })}
        <span className="min-w-0 py-0.5">{label}</span>
      </label>
      {hint && (
        <p id={`${ownId}-hint`} className={`text-ink-muted text-xs leading-4.5 ${indent}`}>
          {hint}
        </p>
      )}
    </div>
  );
}
