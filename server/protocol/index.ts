/** The contract of the product. Imports nothing from outside this folder. */
export * from './chat.ts';
export * from './conversation.ts';
export * from './endpoint.ts';
export * from './errors.ts';
export * from './methods.ts';
export * from './models.ts';
export * from './speech.ts';
export * from './version.ts';
