import { type ButtonHTMLAttributes, type ReactNode, useId } from "react";
import { Button, type ButtonKind, type ButtonSize } from "./button.tsx";

/**
 * A button and the modal dialog that it opens, by native `<dialog>` and `command`: focus trap and Escape work without
 * scripts. `foot` holds the buttons; include a `DialogClose`.
 */
export function Dialog({
  button,
  kind,
  size,
  title,
  foot,
  children,
  ...rest
}: {
  button: ReactNode;
  kind?: ButtonKind;
  size?: ButtonSize;
  title: string;
  /** Receives the id of the dialog, for `DialogClose`. */
  foot: (dialogId: string) => ReactNode;
  children: ReactNode;
} & Pick<ButtonHTMLAttributes<HTMLButtonElement>, "aria-label" | "disabled">) {
  const id = useId();
  return (
    <>
      <Button {...rest} {...command(id, "show-modal")} kind={kind} size={size} aria-haspopup="dialog">
        {button}
      </Button>
      <dialog
        id={id}
        aria-labelledby={`${id}-title`}
        className="m-auto w-[min(33rem,calc(100vw-1.5rem))] max-h-[calc(100dvh-1.5rem)] overflow-auto rounded-xl bg-raised text-ink shadow-overlay backdrop:bg-scrim"
      >
        <div className="grid gap-1.5 px-5 pt-4.5 pb-4">
          <h2 id={`${id}-title`} className="text-lg">
            {title}
          </h2>
          <div className="grid gap-4 text-ink-soft">{children}</div>
        </div>
        <div className="flex flex-wrap items-center justify-end gap-2 border-line border-t bg-sunken px-5 py-3">
          {foot(id)}
        </div>
      </dialog>
    </>
  );
}

/** Closes its dialog without any other effect. */
export function DialogClose({ dialogId, children }: { dialogId: string; children: ReactNode }) {
  return <Button {...command(dialogId, "close")}>{children}</Button>;
}

/** A button with a native popover, for a menu or a longer explanation. A click outside closes it. */
export function Popover({
  button,
  kind,
  size,
  square,
  children,
  ...rest
}: {
  button: ReactNode;
  kind?: ButtonKind;
  size?: ButtonSize;
  square?: boolean;
  children: ReactNode;
} & Pick<ButtonHTMLAttributes<HTMLButtonElement>, "aria-label">) {
  const id = useId();
  return (
    <>
      <Button {...rest} popoverTarget={id} kind={kind} size={size} square={square}>
        {button}
      </Button>
      <div
        id={id}
        popover="auto"
        className="m-0 my-1 max-w-[calc(100vw-1rem)] rounded-lg bg-raised p-1.5 text-ink text-sm shadow-overlay [position-area:bottom_span-left] [position-try-fallbacks:flip-block,flip-inline]"
      >
        {children}
      </div>
    </>
  );
}

// React passes these attributes through, but its types lack them.
const command = (id: string, name: "show-modal" | "close"): object => ({ command: name, commandfor: id });
