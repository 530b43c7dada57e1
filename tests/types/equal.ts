/** True when two types are the same, optional fields included. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Intersections as one object type, and lists that can be written, at every depth. */
export type Flat<T> = T extends readonly (infer Item)[]
  ? Flat<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Flat<T[Key]> }
    : T;

/** The members of a union as one object type, in which a field is required when every member requires it. */
export type Merged<Union> = Flat<
  { [Key in RequiredKey<Union>]: FieldOf<Union, Key> } & {
    [Key in Exclude<KeyOf<Union>, RequiredKey<Union>>]?: FieldOf<Union, Key>;
  }
>;

type KeyOf<Union> = Union extends unknown ? keyof Union : never;

type OptionalKey<Union> = Union extends unknown
  ? { [Key in keyof Union]-?: object extends Pick<Union, Key> ? Key : never }[keyof Union]
  : never;

type RequiredKey<Union> = Exclude<keyof Union, OptionalKey<Union>>;

type FieldOf<Union, Key extends PropertyKey> = Exclude<
  Union extends { [K in Key]?: infer Value } ? Value : never,
  undefined
>;
