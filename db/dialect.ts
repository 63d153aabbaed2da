/** The stores that a hub can use. */
export type Dialect = 'sqlite' | 'postgres';
