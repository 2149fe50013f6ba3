"""The figures: titles, units, alt text, and that they draw what was computed."""

import pytest
from made_up_days import FIRST, PUBLISHED, quiet

import monitors
from monitors import Day, Spec, judge


@pytest.fixture
def plot():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    yield lambda days, *panels, **more: monitors.plot(days, judge(days), *panels, **more)
    plt.close("all")


@pytest.mark.parametrize(
    ("panel", "title", "unit"),
    [
        ("gmv", "Daily GMV", "EUR"),
        ("markdown", "Blended markdown", "% of list value"),
        ("mix", "Branch mix", "% of orders"),
    ],
)
def test_a_figure_has_title_unit_source_and_alt_text(plot, days, panel, title, unit):
    figure = plot(days, panel, source="seed.py")
    (ax,) = figure.axes
    assert (ax.get_title(loc="left"), ax.get_ylabel()) == (title, unit)
    assert figure.get_supxlabel() == "Source: seed.py"
    assert figure.get_label().startswith(f"{title}, 2026-08-01 to 2026-08-27: ")


def test_the_figures_draw_what_was_computed(plot, days):
    gmv, markdown, mix = plot(days).axes
    assert list(gmv.lines[0].get_ydata()) == [day.gmv / 100 for day in days]
    assert list(markdown.lines[0].get_ydata()) == [float(day.markdown) for day in days]
    assert len(markdown.collections[0].get_offsets()) == 9  # the alerts, marked by form
    low, high = (f(y for _, y in gmv.collections[-1].get_paths()[0].vertices) for f in (min, max))
    assert (round(low), round(high)) == tuple(PUBLISHED["revenue"]["pre_release_band_eur"])
    hatches = [bars.patches[0].get_hatch() for bars in mix.containers]
    assert len(set(hatches)) == len(hatches) == 4  # told apart without colour
    assert [bar.get_height() for bar in mix.containers[-1]] == [0] * 18 + [100] * 9


def test_the_median_that_heals_itself_can_be_seen(plot, days):
    (ax,) = monitors.plot(days, judge(days, plain=True), "markdown").axes
    assert ax.lines[1].get_ydata()[-1] == 20  # the dashed line has come up to the alarm
    (ax,) = plot(days, "markdown").axes
    assert round(ax.lines[1].get_ydata()[-1], 2) == 10.17


def test_a_split_table_has_a_column_for_each_part(plot, rows):
    parts = monitors.daily_metrics(rows, Spec(split_by="category"))
    assert len(plot(parts).axes) == 3 * 8


def test_figures_of_little_data(plot):
    plot([Day(FIRST, 1, 5)])
    plot(quiet(3, list_value=0, mix={}, values=frozenset()))
    with pytest.raises(ValueError, match="no day with orders to draw"):
        plot([])
