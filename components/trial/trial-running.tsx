import { ON_TIME_WITHIN_MS } from "#domain/punctuality.ts";
import { Hatch } from "../charts/hatch.tsx";
import { LatenessAxis } from "../charts/lateness-axis.tsx";
import { latenessScale } from "../charts/lateness-scale.ts";
import { ExactTime } from "../ui/exact-time.tsx";
import { TextLink } from "../ui/text-link.tsx";

const FLAGS = 18;
const PLOT = 92;
const BOTTOM = FLAGS + PLOT;

/**
 * A trial that has no answer yet. A script counts down, moves the request to the zero line, and draws its mark when `outcome`
 * (a path) knows it; without scripts the page is loaded again. `inMs`: until it is due.
 */
export function TrialRunning({
  fireAt,
  inMs,
  path,
  nonce,
}: {
  fireAt: Date;
  inMs: number;
  path: string;
  nonce: string | undefined;
}) {
  const { xOf, zero } = latenessScale();
  const limit = `${xOf(ON_TIME_WITHIN_MS)}%`;
  return (
    <div className="grid gap-4">
      {inMs > -STILL_MS && (
        <noscript>
          <meta httpEquiv="refresh" content={String(Math.max(1, Math.ceil(inMs / 1_000) + 1))} />
        </noscript>
      )}
      <p className="text-ink-soft" role="status">
        Due at <ExactTime at={fireAt} zone="UTC" day={fireAt} /> UTC.{" "}
        <span data-trial-left aria-hidden="true">
          {inMs > 0 ? `In ${Math.ceil(inMs / 1_000)} s.` : "Waiting for the answer."}
        </span>{" "}
        <TextLink href={path} className="hidden noscript:inline">
          Load the result
        </TextLink>
      </p>
      <svg
        role="img"
        aria-label="The request is on its way to the zero line."
        className="block w-full overflow-visible"
        height={BOTTOM + LatenessAxis.height}
        data-trial={path}
        data-in={Math.round(inMs)}
        data-zero={zero}
        data-decade={Math.round((xOf(9) - zero) * 100) / 100}
      >
        <Hatch y={FLAGS} width={`${zero}%`} height={PLOT} />
        <line x1={limit} x2={limit} y1={FLAGS} y2={BOTTOM} className="stroke-1 stroke-warn" strokeDasharray="2 3" />
        <text x={limit} dx="6" y="12" className="fill-warn text-2xs">
          {`late past ${ON_TIME_WITHIN_MS} ms`}
        </text>
        <LatenessAxis y={BOTTOM} />
        <line x1={`${zero}%`} x2={`${zero}%`} y1="4" y2={BOTTOM + 10} className="stroke-2 stroke-accent" />
        <line data-trial-mark x1="-1%" x2="-1%" y1={FLAGS + 4} y2={BOTTOM} className="stroke-2 stroke-transparent" />
        <text data-trial-text x="0" y="12" className="fill-ink-soft text-2xs" />
        <circle data-trial-dot cx="0%" cy={FLAGS + PLOT / 2} r="5" className="fill-accent" />
      </svg>
      <script
        nonce={nonce}
        suppressHydrationWarning
        // biome-ignore lint/security/noDangerouslySetInnerHtml: the text is ours
        dangerouslySetInnerHTML={{ __html: trialScript }}
      />
    </div>
  );
}

/** After this time without an answer the page is loaded again only by hand, ms. */
const STILL_MS = 60_000;

/**
 * Moves the request of a trial to the zero line until it is due, asks for its outcome from then on, draws the mark and loads the
 * page once more. It asks for a minute at most. Plain, since the page has no other script.
 */
const trialScript = `(()=>{
const svg=document.querySelector("[data-trial]");
if(!svg)return;
const {trial,in:inMs,zero,decade}=svg.dataset,due=performance.now()+Number(inMs),part=name=>document.querySelector("[data-trial-"+name+"]");
const dot=part("dot"),mark=part("mark"),text=part("text"),left=part("left"),isStill=matchMedia("(prefers-reduced-motion: reduce)").matches;
const tick=()=>{
const leftMs=due-performance.now();
left.textContent=leftMs>0?"In "+Math.ceil(leftMs/1000)+" s.":"Waiting for the answer.";
if(!isStill)dot.setAttribute("cx",zero*Math.min(1,Math.max(0,1-leftMs/5000))+"%");
};
const draw=ms=>{
clearInterval(timer);
const x=Math.min(100,Number(zero)+decade*Math.log10(1+Math.max(0,ms)))+"%";
dot.remove();
mark.setAttribute("x1",x);mark.setAttribute("x2",x);mark.setAttribute("class","stroke-2 "+(ms>250?"stroke-warn":"stroke-ink"));
text.setAttribute("x",x);text.textContent=(ms>0?"+":"")+ms+" ms";
left.textContent="It left "+ms+" ms after its instant.";
};
const ask=async(every)=>{
if(performance.now()>due+60000)return;
const outcome=await fetch(trial+"/outcome",{cache:"no-store"}).then(answer=>answer.ok?answer.json():null,()=>null);
if(!outcome||!outcome.done){setTimeout(ask,every,Math.min(2000,every*1.5));return;}
if(outcome.offset_ms!==null)draw(outcome.offset_ms);
setTimeout(()=>location.reload(),outcome.offset_ms===null?0:900);
};
const timer=setInterval(tick,50);
setTimeout(ask,Math.max(0,Number(inMs)+100),250);
})()`;
