/** The contract of the product. Imports nothing from outside this folder. */
export * from './chat.ts';
export * from './chatAnswer.ts';
export * from './chatPage.ts';
export * from './chatSession.ts';
export * from './conversation.ts';
export * from './endpoint.ts';
export * from './errorBody.ts';
export * from './errors.ts';
export * from './methods.ts';
export * from './models.ts';
export * from './recorder.ts';
export * from './slashCommands.ts';
export * from './speech.ts';
export * from './sse.ts';
export * from './version.ts';
