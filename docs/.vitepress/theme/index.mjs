/** The theme of the site: VitePress' own, with a switch that is always in sight and pictures that follow it. */

import { useData } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { computed, defineComponent, h, nextTick, onMounted, ref, watch } from 'vue';
import './style.css';

/** A picture that moves, with its still, which is shown to whoever asks the system for less motion or presses the button. */
const MovingPicture = defineComponent({
	setup(_, { slots }) {
		/** Undefined until somebody presses the button: then the system decides. */
		const chosen = ref();
		const still = ref(false);
		const moves = computed(() => chosen.value ?? !still.value);
		onMounted(() => {
			const asked = matchMedia('(prefers-reduced-motion: reduce)');
			still.value = asked.matches;
			asked.addEventListener('change', () => {
				still.value = asked.matches;
			});
		});
		const state = () => (chosen.value === undefined ? '' : chosen.value ? 'plays' : 'stands');
		return () =>
			h('div', { class: ['moving-picture', state()] }, [
				slots.default?.(),
				h(
					'button',
					{
						type: 'button',
						onClick: () => {
							chosen.value = !moves.value;
						},
					},
					moves.value ? 'Pause' : 'Play',
				),
			]);
	},
});

// biome-ignore lint/style/noDefaultExport: the form that VitePress reads
export default {
	extends: DefaultTheme,
	setup() {
		const { isDark } = useData();
		// What the server wrote into the page says that the switch is off, and stays so where the system is dark.
		const tell = async () => {
			await nextTick();
			for (const each of document.querySelectorAll('.VPSwitchAppearance'))
				each.setAttribute('aria-checked', String(isDark.value));
		};
		onMounted(tell);
		watch(isDark, tell);
	},
	enhanceApp({ app }) {
		app.component('MovingPicture', MovingPicture);
	},
};
