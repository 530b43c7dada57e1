import { latenessScale } from "../charts/lateness-scale.ts";
import { Card, CardBody, CardFoot, CardHead } from "../ui/card.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { MEASURED, READ_ON, STATED } from "./comparison.ts";

/** How punctual others are: measured where they run beside us, and as hosted services state it. */
export function Comparison() {
  return (
    <section aria-labelledby="others" className="mt-[clamp(3rem,7vw,5.5rem)] grid gap-6">
      <div className="grid gap-2">
        <h2 id="others" className="text-2xl">
          Beside others
        </h2>
        <p className="max-w-144 text-ink-soft text-lg">
          What can run on the same machine was measured. Of hosted services stands here what their documentation states.
        </p>
      </div>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,26rem),1fr))] items-start gap-5">
        <Measured />
        <Stated />
      </div>
      <p className="text-sm">
        <TextLink standalone href="/docs/comparison">
          The whole comparison, with every source
        </TextLink>
        {" · "}
        <TextLink standalone href="/docs/when-not">
          When to take something else
        </TextLink>
      </p>
    </section>
  );
}

const ROW = 26;

function Measured() {
  const { xOf, zero } = latenessScale();
  return (
    <Card aria-labelledby="measured">
      <CardHead id="measured" title="Measured: 300 requests a second" />
      <CardBody>
        <table className="w-full border-collapse text-sm [&_td]:py-1.5 [&_th]:py-1.5">
          <caption className="sr-only">Late at the receiver, ms</caption>
          <thead className="text-ink-muted text-xs">
            <tr>
              <th scope="col" className="text-left font-normal">
                p50 to p99
              </th>
              <th scope="col" className="px-3 text-right font-normal">
                p50
              </th>
              <th scope="col" className="text-right font-normal">
                p99
              </th>
            </tr>
          </thead>
          <tbody>
            {MEASURED.map(({ name, p50, p99 }) => (
              <tr key={name} className="border-line border-t">
                <th scope="row" className="w-full text-left font-normal">
                  {name}
                  <svg aria-hidden="true" width="100%" height={ROW / 2} className="block max-w-80">
                    <line x1={`${zero}%`} x2={`${zero}%`} y1="1" y2="12" className="stroke-2 stroke-accent" />
                    <line
                      x1={`${xOf(p50)}%`}
                      x2={`${xOf(p99)}%`}
                      y1="6.5"
                      y2="6.5"
                      className="stroke-6 stroke-accent-line"
                    />
                    <line x1={`${xOf(p50)}%`} x2={`${xOf(p50)}%`} y1="2" y2="11" className="stroke-2 stroke-ink" />
                  </svg>
                </th>
                <td className="whitespace-nowrap px-3 text-right">{p50} ms</td>
                <td className="whitespace-nowrap text-right">{p99} ms</td>
              </tr>
            ))}
          </tbody>
        </table>
      </CardBody>
      <CardFoot>
        Late at the receiver: 1 KB by POST over TLS, two cores, medians of five rounds. The others do less for a
        delivery: no signature, no encryption, no record of attempts.
      </CardFoot>
    </Card>
  );
}

function Stated() {
  return (
    <Card aria-labelledby="stated">
      <CardHead id="stated" title="Stated by hosted services" />
      <CardBody>
        <table className="w-full border-collapse text-sm [&_td]:py-2 [&_th]:py-2">
          <caption className="sr-only">What hosted services state</caption>
          <thead className="text-ink-muted text-xs">
            <tr className="text-left [&>th]:font-normal">
              <th scope="col">Service</th>
              <th scope="col" className="px-3">
                Instant in
              </th>
              <th scope="col">Punctuality</th>
            </tr>
          </thead>
          <tbody className="align-top">
            <tr className="border-line border-t">
              <th scope="row" className="text-left font-normal">
                Stopwatch
              </th>
              <td className="px-3">milliseconds</td>
              <td>
                measured all the time (<TextLink href="/status">status</TextLink>)
              </td>
            </tr>
            {STATED.map(({ name, instant, punctuality, source }) => (
              <tr key={name} className="border-line border-t">
                <th scope="row" className="text-left font-normal">
                  {name}
                </th>
                <td className="px-3">{instant}</td>
                <td>
                  {punctuality} (<TextLink href={source}>source</TextLink>)
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </CardBody>
      <CardFoot>As their documentation stood on {READ_ON}.</CardFoot>
    </Card>
  );
}
