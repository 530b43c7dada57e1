import { RealAttempt, type RecordedAttempt } from "./real-attempt.tsx";

/** What each attempt records, beside a real one. */
export function WhyLate({ attempt }: { attempt: RecordedAttempt }) {
  return (
    <section className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,22rem),1fr))] items-center gap-10">
      <div className="grid gap-4">
        <h2 className="text-2xl">When something is late, it says why</h2>
        <p className="max-w-112 text-ink-soft text-lg">
          Every attempt records the code, what the target answered, and where each millisecond went: the name, the
          connection, the claim, your own rate, the target’s answer.
        </p>
      </div>
      <RealAttempt attempt={attempt} />
    </section>
  );
}
