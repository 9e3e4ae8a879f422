/**
 * The last step of `npm start`: runs the daemon on the built-in models in the foreground and prints
 * what a newcomer can try. Arguments go to `nearglot serve`.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { forwardSignals } from './forwardSignals.mjs';
import { root } from './node.mjs';
import { requestLines } from './requestLines.mjs';

const bundle = join(root, 'dist', 'server.cjs');
const child = spawn(process.execPath, [bundle, 'serve', '--json', ...process.argv.slice(2)], {
	cwd: root,
	stdio: ['inherit', 'pipe', 'inherit'],
});
forwardSignals(child);
child.once('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));

createInterface({ input: child.stdout }).on('line', (line) => {
	let ready;
	try {
		ready = JSON.parse(line);
	} catch {
		process.stdout.write(`${line}\n`);
		return;
	}
	if (typeof ready.url !== 'string') return;
	process.stdout.write(`
Nearglot is running on the built-in models (process ${ready.pid}; Ctrl+C ends it).

  Studio page          ${ready.url}/
  Chat interface       ${ready.url}/v1
  Translate interface  ${ready.url}/translate?api-version=3.0

Try, in another terminal in this folder:

  npx nearglot chat "extract a tar.gz file"
  npx nearglot translate "The file could not be opened." --to de
  npx nearglot transcribe test/fixtures/speech/annie.flac
${requestLines(ready.url, process.platform)
	.map((line) => `  ${line}`)
	.join('\n')}

`);
});
