/** A dot that beats once when it appears and each time `of` changes. Grey and still unless `isOn`. */
export function Beat({ of, isOn }: { of: number; isOn: boolean }) {
  return (
    <span
      key={of}
      className={`size-2 shrink-0 rounded-full ${isOn ? "beat bg-accent" : "bg-line-strong"}`}
      aria-hidden="true"
    />
  );
}
