/**
 * Uses the product as a person does, on the built-in models and in the data folder it takes by itself:
 * each ability, a load, an unload. Says on standard output what was answered, one JSON line each; ends the
 * daemon when standard input ends.
 */

import { readFile } from 'node:fs/promises';
import { newHome } from '../support/home.ts';

const recording = new URL('../fixtures/speech/digits/0_theo.wav', import.meta.url).pathname;
const home = await newHome({ NEARGLOT_HOME: '' });

async function run(args: readonly string[], input?: Uint8Array): Promise<void> {
	const { code, stdout, stderr } = await home.run(args, input);
	process.stdout.write(`${JSON.stringify({ ran: args[0], code, stdout, stderr })}\n`);
}

await run(['chat', 'starter-chat', 'How do I list the files of a folder?']);
await run(['translate', 'The file could not be opened.', '--to', 'de']);
await run(['transcribe', recording]);
await run(['transcribe', '-'], await readFile(recording));
await run(['models', 'unload', 'starter-translate']);
await run(['models', 'load', 'starter-translate']);
await run(['doctor']);
for await (const _ of process.stdin);
await run(['models', 'unload', '--all']);
await home.close();
