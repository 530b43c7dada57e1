"use client";

import { type ReactNode, useEffect, useRef } from "react";
import { MODAL } from "./modal-mark.ts";

/** A native modal dialog that is open as long as it is rendered. `onClose` is called by Escape and a press outside of it. */
export function Modal({ label, onClose, children }: { label: string; onClose: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it for the keyboard
    <dialog
      ref={dialog}
      {...{ [MODAL]: "" }}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => event.target === event.currentTarget && onClose()}
      className="mx-auto mt-[12dvh] mb-auto w-[min(36rem,calc(100vw-1.5rem))] max-h-[min(32rem,76dvh)] overflow-hidden rounded-xl bg-raised text-ink shadow-overlay backdrop:bg-scrim"
    >
      {children}
    </dialog>
  );
}
