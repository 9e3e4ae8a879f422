/** Where the product and its documents are published: the one place that names an address of ours. */

/** The repository, as package.json has it; a test compares. */
export const productSite = 'https://github.com/nearglot/nearglot';

/** Address of a document, such as `team-server.md`. */
export const documentAddress = (name: string): string => `${productSite}/blob/main/docs/${name}`;
