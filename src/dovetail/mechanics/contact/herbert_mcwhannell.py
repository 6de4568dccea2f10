"""Herbert and McWhannell contact law: energy loss to higher order."""

from __future__ import annotations

from dovetail.core import kind
from dovetail.mechanics.contact.normal_law import DissipativeLaw, ValuesLike


@kind("herbert-mcwhannell")
class HerbertMcWhannell(DissipativeLaw):
    r"""Herbert and McWhannell law, :math:`\Lambda = 6(1-c_r)/((2c_r-1)^2+3)`.

    [Herbert & McWhannell 1977; Bondoky 2020, eq. 4.14].
    """

    def damping_factor(self, restitution: ValuesLike) -> ValuesLike:
        return 6 * (1 - restitution) / ((2 * restitution - 1) ** 2 + 3)
