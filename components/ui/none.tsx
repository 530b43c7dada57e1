/** A dash in place of what is not there, which is read as `what`. */
export function None({ what }: { what: string }) {
  return (
    <>
      <span aria-hidden="true">—</span>
      <span className="sr-only">{what}</span>
    </>
  );
}
