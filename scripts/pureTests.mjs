/**
 * Runs many pure test files in one process, each as a suite of its own, so that modules are loaded once.
 * `node --test-reporter=… scripts/pureTests.mjs FILE …`. What starts a process, listens or opens ONNX Runtime
 * fails here: its file has the wrong name.
 */
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { suite } from 'node:test';
import { pathToFileURL } from 'node:url';

function refuse(what) {
	return () => {
		throw new Error(`A pure test ${what}: end its file's name with .process.test.ts.`);
	};
}

for (const name of ['spawn', 'spawnSync', 'fork', 'exec', 'execSync', 'execFile', 'execFileSync'])
	childProcess[name] = refuse('starts a process');
net.Server.prototype.listen = refuse('starts a server');
const open = process.dlopen;
process.dlopen = (module, file, ...rest) => {
	if (/onnxruntime|koffi/.test(file))
		throw new Error(`A pure test opens ${file}: end its file's name with .model.test.ts.`);
	return open.call(process, module, file, ...rest);
};
syncBuiltinESMExports();

for (const file of process.argv.slice(2)) {
	suite(file, async () => {
		await import(pathToFileURL(file).href);
	});
}
