"""Recurrent layers of Keras."""

from keras import layers as L

from .entry import indices
from .layers import SEQUENCE, model


def masked(t):
    return L.LSTM(5)(L.Embedding(4, 6, mask_zero=True)(t))


def tagger(t):
    x = L.Bidirectional(L.LSTM(5, return_sequences=True))(L.Embedding(20, 6)(t))
    return L.TimeDistributed(L.Dense(3, "softmax"))(x)


def states(x):
    y, h, c = L.LSTM(5, return_sequences=True, return_state=True)(x)
    return [y, h, c, L.GRU(4)(y)]


def translator(source, target):
    """An encoder whose states are where the decoder starts."""
    _, h, c = L.LSTM(5, return_state=True)(source)
    return L.Dense(4, "softmax")(L.LSTM(5, return_sequences=True)(target, initial_state=[h, c]))


ENTRIES = [
    model("lstm", lambda x: L.LSTM(5)(x), SEQUENCE),
    model("lstm_sequences", lambda x: L.LSTM(5, return_sequences=True)(x), SEQUENCE),
    model("lstm_fixed", lambda x: L.LSTM(5, return_sequences=True)(x), ("batch", 7, 6)),
    model("lstm_backward", lambda x: L.LSTM(5, go_backwards=True, return_sequences=True)(x), SEQUENCE),
    model("lstm_unrolled", lambda x: L.LSTM(5, unroll=True)(x), ("batch", 4, 6)),
    model("lstm_masked", masked, indices("batch", "length", high=4)),
    model("lstm_states", states, SEQUENCE),
    model("lstm_stacked", lambda x: L.LSTM(3)(L.LSTM(5, return_sequences=True)(x)), SEQUENCE),
    model("gru", lambda x: L.GRU(5)(x), SEQUENCE),
    model("gru_sequences", lambda x: L.GRU(5, return_sequences=True, reset_after=False)(x), SEQUENCE),
    model("simple_rnn", lambda x: L.SimpleRNN(5, return_sequences=True)(x), SEQUENCE),
    model("bidirectional_lstm", lambda x: L.Bidirectional(L.LSTM(5, return_sequences=True))(x), SEQUENCE),
    model("bidirectional_gru", lambda x: L.Bidirectional(L.GRU(5), merge_mode="sum")(x), SEQUENCE),
    model("tagger", tagger, indices("batch", "length", high=20)),
    model("translator", translator, SEQUENCE, ("batch", "other", 3)),
    model("conv_lstm1d", lambda x: L.ConvLSTM1D(3, 3, padding="same")(x), ("batch", "length", 6, 2)),
    model("conv_lstm2d", lambda x: L.ConvLSTM2D(3, 3, padding="same", return_sequences=True)(x), ("batch", "length", 6, 5, 2)),
    model("rnn_of_cells", lambda x: L.RNN(L.StackedRNNCells([L.LSTMCell(5), L.GRUCell(4)]))(x), SEQUENCE),
]  # fmt: skip
