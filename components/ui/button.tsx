import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ElementType } from "react";
import { useId } from "react";

export type ButtonKind = "plain" | "primary" | "danger" | "danger-fill" | "ghost";
export type ButtonSize = "small" | "normal" | "large";

type Look = {
  kind?: ButtonKind;
  size?: ButtonSize;
  /** Holds an icon alone: give it an `aria-label`. */
  square?: boolean;
};

type ButtonProps = Look &
  ButtonHTMLAttributes<HTMLButtonElement> & {
    /** An action is in progress: further presses do nothing. The label should name it ("Saving"). */
    busy?: boolean;
    /** Disables the button and shows the reason beside it. */
    reason?: string;
  };

/** A button. `type` defaults to "button", so that it does not submit a form by accident. */
export function Button({ kind, size, square, busy, reason, className = "", children, ...rest }: ButtonProps) {
  const reasonId = useId();
  const isOff = busy || reason !== undefined || rest.disabled;
  const button = (
    <button
      type="button"
      {...rest}
      disabled={isOff}
      aria-busy={busy || undefined}
      aria-describedby={reason === undefined ? rest["aria-describedby"] : reasonId}
      className={`${buttonLook({ kind, size, square })} ${className}`}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
  if (reason === undefined) return button;
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      {button}
      <span id={reasonId} className="text-ink-muted text-xs">
        {reason}
      </span>
    </span>
  );
}

/** A link that looks like a button. It is a plain `<a>`; pass `as` for another link component. */
export function ButtonLink({
  kind,
  size,
  square,
  as: Anchor = "a",
  className = "",
  ...rest
}: Look & AnchorHTMLAttributes<HTMLAnchorElement> & { href: string; as?: ElementType }) {
  return <Anchor {...rest} className={`${buttonLook({ kind, size, square })} ${className}`} />;
}

function buttonLook({ kind = "plain", size = "normal", square = false }: Look): string {
  return `button ${KINDS[kind]} ${(square ? SQUARES : SIZES)[size]}`;
}

const KINDS: Record<ButtonKind, string> = {
  plain:
    "bg-surface border-line text-ink shadow-raised enabled:hover:bg-hover hover:border-line-hover [a]:hover:bg-hover",
  primary:
    "bg-ink border-ink text-on-ink shadow-raised enabled:hover:bg-ink-hover enabled:hover:border-ink-hover [a]:hover:bg-ink-hover [a]:hover:border-ink-hover",
  danger: "bg-surface border-bad-line text-bad shadow-raised enabled:hover:bg-bad-soft [a]:hover:bg-bad-soft",
  "danger-fill":
    "bg-bad border-transparent text-on-bad shadow-raised enabled:hover:bg-bad-hover [a]:hover:bg-bad-hover",
  ghost: "border-transparent text-ink-soft enabled:hover:bg-hover hover:text-ink [a]:hover:bg-hover",
};

const SIZES: Record<ButtonSize, string> = {
  small: "min-h-6.5 px-2 text-xs",
  normal: "min-h-8 px-3 text-sm",
  large: "min-h-10 px-4 text-base",
};

const SQUARES: Record<ButtonSize, string> = {
  small: "size-6.5 text-xs",
  normal: "size-8 text-sm",
  large: "size-10 text-base",
};

function Spinner() {
  return (
    <span
      className="size-3.5 animate-turn rounded-full border-2 border-line-strong border-t-accent"
      aria-hidden="true"
    />
  );
}
