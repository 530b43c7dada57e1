import type { ReactNode } from "react";
import type { Environment } from "#domain/environment.ts";
import { HiddenFields } from "../ui/hidden-fields.tsx";
import { FormProblems } from "./form-problems.tsx";
import type { DraftFormState } from "./use-draft-form.ts";

/** A form that a server action stores: its problems and fields, and beside them what they mean. */
export function DraftForm({
  state: { form, problems, failed, formAction, send },
  env,
  hidden,
  save,
  aside,
  children,
  ...words
}: {
  state: Pick<DraftFormState, "form" | "problems" | "failed" | "formAction" | "send">;
  env: Environment;
  /** Hidden fields. */
  hidden: Readonly<Record<string, string | undefined>>;
  /** What its button says. */
  save: string;
  aside: ReactNode;
  children: ReactNode;
  signInHref: string;
  what: string;
  notDone: string;
}) {
  return (
    <form
      ref={form}
      action={formAction}
      onSubmit={send}
      className="grid grid-cols-1 items-start gap-5 min-[72rem]:grid-cols-[minmax(0,1fr)_25rem]"
    >
      <HiddenFields values={{ env, ...hidden }} />
      {/* Enter in a field activates the first button of the form. */}
      <button type="submit" tabIndex={-1} aria-hidden="true" className="sr-only">
        {save}
      </button>
      <div className="grid min-w-0 grid-cols-1 gap-5">
        <div ref={problems} tabIndex={-1} className="empty:hidden">
          <FormProblems failed={failed} {...words} />
        </div>
        {children}
      </div>
      {aside}
    </form>
  );
}
