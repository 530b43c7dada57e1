import { type SVGProps, useId } from "react";

/** A hatched area of a chart: impossible values, or (`strong`) extrapolated ones. Takes the attributes of `<rect>`. */
export function Hatch({ strong = false, ...rect }: SVGProps<SVGRectElement> & { strong?: boolean }) {
  const id = useId();
  return (
    <>
      <defs>
        <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(35)">
          <path className={strong ? "stroke-line-strong" : "stroke-line"} d="M0.5 0V5" />
        </pattern>
      </defs>
      <rect {...rect} fill={`url(#${id})`} />
    </>
  );
}
