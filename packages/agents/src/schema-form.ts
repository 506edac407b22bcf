/**
 * How a model is told the shape of its answer. `strict`: a decoder holds it to the schema, so every field is required and
 * null stands for "not given". `plain`: it is shown the schema and answers freely, so what does not apply is left out.
 */
export type SchemaForm = "strict" | "plain";
