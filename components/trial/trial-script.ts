/**
 * Moves the request of a trial to the zero line until it is due, asks for its outcome from then on, draws the mark and loads the
 * page once more. It asks for a minute at most. Plain, since the page has no other script.
 */
export const trialScript = `(()=>{
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
