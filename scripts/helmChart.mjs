/**
 * Renders deploy/helm/nearglot with Go's own template engine, as Helm does: `node scripts/helmChart.mjs '{"autoscaling":{"kind":"hpa"}}'`
 * prints the objects for changed values. `--write` writes what is made of the chart in deploy/; a test compares.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse as render } from '@evertdespiegeleer/go-template';
import { parse } from 'yaml';
import { root } from './node.mjs';

const chart = join(root, 'deploy/helm/nearglot');
const templates = join(chart, 'templates');
const read = (name) => readFileSync(join(templates, name), 'utf8');

const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Values with changes in them, as Helm merges them: maps are merged, all else is replaced. */
function merged(values, changes) {
	const names = [...new Set([...Object.keys(values), ...Object.keys(changes)])];
	return Object.fromEntries(
		names.map((name) => {
			const [old, changed] = [values[name], changes[name]];
			if (changed === undefined) return [name, old];
			return [name, isMap(old) && isMap(changed) ? merged(old, changed) : changed];
		}),
	);
}

/** The text of some templates, or of all, in the order of their names. */
export async function renderChart(changes = {}, only = () => true) {
	const values = merged(parse(readFileSync(join(chart, 'values.yaml'), 'utf8')), changes);
	const names = readdirSync(templates).filter((name) => name.endsWith('.yaml') && only(name));
	const texts = [];
	for (const name of names.sort()) {
		const text = await render(read('_names.tpl') + read(name), { Values: values });
		if (text.trim() !== '') texts.push(`${text.trim()}\n`);
	}
	return texts.join('---\n');
}

/** Values of a cluster with the Gateway API inference extension. */
export const inference = {
	inference: { enabled: true },
	balancer: { enabled: false },
	// The picker scrapes the port that it sends requests to.
	replicas: { opsPort: 8080 },
	// It sends a person's requests to any replica.
	batches: { store: '/batches' },
};

const unproved = 'Its form is checked by tests; it has not run on a cluster.';
const made = (what) =>
	`# ${what}\n# Made of deploy/helm/nearglot by scripts/helmChart.mjs --write. ${unproved}\n`;

/** As replicas that come and go move people, whose files lie with one. */
const shares = 'Its replicas need a store that they share (--store).';

/** What is made of the chart: path in deploy/ → its text. */
export async function chartFiles() {
	const scaling = (name) => /autoscaling/.test(name);
	return {
		'kubernetes.yaml':
			made(
				'Two model servers, a balancer and the sign-in layer. Replace image, host and secrets.',
			) + (await renderChart()),
		'kubernetes/hpa.yaml':
			made(`Beside kubernetes.yaml, where an adapter serves custom metrics of pods. ${shares}`) +
			(await renderChart({ autoscaling: { kind: 'hpa' } }, scaling)),
		'kubernetes/keda.yaml':
			made(`Beside kubernetes.yaml, where KEDA and Prometheus run. ${shares}`) +
			(await renderChart({ autoscaling: { kind: 'keda' } }, scaling)),
		'kubernetes/inference.yaml':
			made('In place of kubernetes.yaml, where the Gateway API inference extension is installed.') +
			(await renderChart(inference)),
	};
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	if (process.argv[2] === '--write') {
		mkdirSync(join(root, 'deploy/kubernetes'), { recursive: true });
		for (const [name, text] of Object.entries(await chartFiles()))
			writeFileSync(join(root, 'deploy', name), text);
	} else process.stdout.write(await renderChart(JSON.parse(process.argv[2] ?? '{}')));
}
