const PROMISES = [
  {
    title: "Never early",
    text: "No request is sent before it is due. The hatched side of the scale stays empty, unless you ask for a schedule to be sent ahead, so that it arrives on time.",
  },
  {
    title: "A cancel is final",
    text: "A cancel or a new time that was acknowledged is never contradicted by a delivery. Both work until a quarter of a second before.",
  },
  {
    title: "Exactly your bytes",
    text: "Method, headers and body as you sent them, under two signatures. Payloads are encrypted at rest and never shown again.",
  },
  {
    title: "At least once",
    text: "Everything accepted is delivered, or ends as dead with its reasons in the log. A repeat carries the same id.",
  },
];

/** The four promises of the service. */
export function Promises() {
  return (
    <section
      aria-label="What it promises"
      className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,15rem),1fr))] gap-8 py-[clamp(3rem,6vw,4.5rem)]"
    >
      {PROMISES.map(({ title, text }) => (
        <div key={title} className="grid content-start gap-2 border-ink border-t pt-3.5">
          <h2 className="text-lg">{title}</h2>
          <p className="text-pretty text-ink-soft">{text}</p>
        </div>
      ))}
    </section>
  );
}
